package sample.five;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import sample.Log;

@ExtendWith(Resource.class)
class PlainTest {
    @BeforeAll
    static void up() {
        Log.add("up");
    }

    @AfterAll
    static void down() {
        Log.add("down");
    }

    @BeforeEach
    void before() {
        Log.add("before");
    }

    @AfterEach
    void after() {
        Log.add("after");
    }

    @Test
    @Tag("quick")
    void one() {
        Log.add("one");
    }

    @Test
    void two() {
        Log.add("two");
    }

    @Test
    void overloaded() {
        Log.add("overloaded");
    }

    @Test
    void overloaded(TestInfo info) {
        Log.add("overloaded " + info.getDisplayName());
    }

    @Test
    void wrong() {
        assertEquals(1, 2);
    }

    @Test
    void assumed() {
        assumeTrue(false);
    }

    @Test
    @Disabled("not now")
    void disabled() {
        Log.add("disabled");
    }

    @Test
    void eatsMemory() {
        java.util.List<byte[]> eaten = new java.util.ArrayList<>();
        while (true) {
            eaten.add(new byte[1 << 24]);
        }
    }
}
