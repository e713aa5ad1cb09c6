package sample.four;

import static org.junit.Assume.assumeTrue;

import org.junit.BeforeClass;
import org.junit.Test;

public class AssumedTest {
    @BeforeClass
    public static void up() {
        assumeTrue(false);
    }

    @Test
    public void one() {}
}
