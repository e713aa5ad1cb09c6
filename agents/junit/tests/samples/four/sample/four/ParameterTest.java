package sample.four;

import java.util.Arrays;
import java.util.Collection;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import sample.Log;

@RunWith(Parameterized.class)
public class ParameterTest {
    static boolean isBroken;
    private final String parameter;

    public ParameterTest(String parameter) {
        this.parameter = parameter;
    }

    @Parameterized.Parameters
    public static Collection<Object[]> parameters() {
        if (isBroken) {
            throw new IllegalStateException("no parameters today");
        }
        return Arrays.asList(new Object[] {"a"}, new Object[] {"b"});
    }

    @BeforeClass
    public static void up() {
        Log.add("up");
    }

    @AfterClass
    public static void down() {
        Log.add("down");
    }

    @Test
    public void one() {
        Log.add("one " + parameter);
    }

    @Test
    public void two() {
        Log.add("two " + parameter);
    }
}
