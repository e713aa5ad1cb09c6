package sample.mockito;

import static org.junit.Assert.assertEquals;
import static org.mockito.Mockito.when;

import java.util.List;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.mockito.Mock;
import org.mockito.junit.MockitoJUnitRunner;
import sample.Log;

@RunWith(MockitoJUnitRunner.class)
public class StrictTest {
    @Mock
    private List<String> list;

    @BeforeClass
    public static void up() {
        Log.add("up");
    }

    @Before
    public void stub() {
        when(list.get(0)).thenReturn("first");
    }

    @Test
    public void uses() {
        assertEquals("first", list.get(0));
        Log.add("uses");
    }

    @Test
    public void leavesAlone() {
        Log.add("leaves alone");
    }
}
