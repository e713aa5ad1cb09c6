package acme;

import static org.junit.Assert.assertTrue;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** Memory that forks of one state would share. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class MappedTest {
    private static MappedByteBuffer memory;

    @Test
    public void aMaps() throws Exception {
        Path file = Files.createTempFile("mapped", "");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(MapMode.READ_WRITE, 0, 1);
        }
    }

    @Test
    public void bWrites() {
        if (memory != null) {
            memory.put(0, (byte) 1);
        }
    }

    @Test
    public void cIsEmpty() {
        assertTrue(memory == null || memory.get(0) == 0);
    }
}
