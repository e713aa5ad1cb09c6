package sample.four;

import org.junit.AfterClass;
import org.junit.Test;

public class BrokenDownTest {
    @AfterClass
    public static void down() {
        throw new IllegalStateException("down is broken");
    }

    @Test
    public void one() {}
}
