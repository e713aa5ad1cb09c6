package sample.five;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import sample.Log;

class NestedTest {
    @BeforeAll
    static void up() {
        Log.add("outer up");
    }

    @AfterAll
    static void down() {
        Log.add("outer down");
    }

    @BeforeEach
    void before() {
        Log.add("outer before");
    }

    @Test
    void one() {
        Log.add("outer one");
    }

    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class Inner {
        private int ran;

        @BeforeAll
        void up() {
            Log.add("inner up");
        }

        @AfterAll
        void down() {
            Log.add("inner down " + ran);
        }

        @Test
        void one() {
            Log.add("inner one");
            ran++;
        }

        @Test
        void two() {
            Log.add("inner two");
            ran++;
        }
    }
}
