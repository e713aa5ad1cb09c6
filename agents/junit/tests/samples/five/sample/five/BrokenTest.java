package sample.five;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import sample.Log;

class BrokenTest {
    @AfterAll
    static void down() {
        throw new IllegalStateException("down is broken");
    }

    @Test
    void one() {}

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class BrokenUp {
        @BeforeAll
        void up() {
            Log.add("broken up");
            throw new IllegalStateException("up is broken");
        }

        @Test
        void one() {}

        @Test
        void two() {}
    }

    @Nested
    @Disabled("the whole class")
    class Off {
        @Test
        void one() {}
    }
}
