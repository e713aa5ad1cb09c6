package sample.five;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sample.Log;

class ManyTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parametrised(int value) {
        Log.add("value " + value);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void partlyWrong(int value) {
        assertNotEquals(2, value);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void allAssumed(int value) {
        assumeTrue(false);
    }

    @RepeatedTest(2)
    void repeated() {
        Log.add("again");
    }

    @TestFactory
    Stream<DynamicTest> made() {
        return Stream.of("x", "y").map(name -> dynamicTest(name, () -> Log.add("made " + name)));
    }
}
