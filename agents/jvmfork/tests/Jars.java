package dev.anyorder.agent;

import java.io.File;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Children that read the same jar at the same time, through descriptors that were opened before the fork. */
final class Jars {
    private static final int FILES = 400;
    private static final int ROUNDS = 10;
    private static final int SIBLINGS = 3;

    static Path jar() throws Exception {
        Path jar = Files.createTempFile("jars", ".jar");
        Random random = new Random(1);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (int i = 0; i < FILES; i++) {
                byte[] noise = new byte[3000];
                random.nextBytes(noise);
                out.putNextEntry(new ZipEntry("file" + i));
                out.write(i % 251);
                out.write(noise);
            }
        }
        return jar;
    }

    static void read(ClassLoader loader, long seed) throws Exception {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(seed));
        for (int number : numbers) {
            try (InputStream in = loader.getResourceAsStream("file" + number)) {
                byte[] bytes = in.readAllBytes();
                Children.must(bytes.length == 3001 && bytes[0] == (byte) (number % 251));
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Children.prepare();
        File jar = jar().toFile();
        URLClassLoader loader = new URLClassLoader(new URL[] {jar.toURI().toURL()});
        loader.getResourceAsStream("file0").close();
        int bad = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Integer> children = new ArrayList<>();
            for (int i = 0; i < SIBLINGS; i++) {
                long seed = round * SIBLINGS + i;
                children.add(Children.start(() -> read(loader, seed)));
            }
            for (int child : children) {
                bad += Children.end(child, 60).equals("well") ? 0 : 1;
            }
        }
        Files.delete(jar.toPath());
        System.out.println(bad + " of " + ROUNDS * SIBLINGS + " bad");
        Fork.exit(bad == 0 ? 0 : 1);
    }
}
