package dev.anyorder.agent;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a class file tells of its source: the name of the file, and where the code of each method begins; and which other
 * classes it names.
 */
final class ClassFile {
    private final Map<Integer, String> texts = new HashMap<Integer, String>();
    private final List<Integer> places = new ArrayList<Integer>();
    private final Map<String, Integer> lines = new HashMap<String, Integer>();
    private String source;

    private ClassFile() {}

    /** Empty if the class file cannot be found. */
    static ClassFile of(Class<?> type) {
        ClassFile file = new ClassFile();
        String name = type.getName();
        try (InputStream in = type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            if (in != null) {
                file.read(new DataInputStream(new BufferedInputStream(in)));
            }
        } catch (IOException cut) {
            file.lines.clear();
        }
        return file;
    }

    /** Null if the compiler did not say. */
    String source() {
        return source;
    }

    /** The first line that has code of a method of this name; 1 if the compiler did not say. */
    int line(String method) {
        Integer line = lines.get(method);
        return line == null ? 1 : line;
    }

    /** The classes that it names, itself included; of arrays, none. */
    List<String> classes() {
        List<String> names = new ArrayList<String>();
        for (int place : places) {
            String name = texts.get(place);
            if (!name.startsWith("[")) {
                names.add(name.replace('/', '.'));
            }
        }
        return names;
    }

    private void read(DataInputStream in) throws IOException {
        in.readLong(); // magic number and version
        readConstants(in);
        in.readUnsignedShort();
        in.readUnsignedShort();
        in.readUnsignedShort();
        in.skipBytes(2 * in.readUnsignedShort()); // interfaces
        readMembers(in);
        readMembers(in);
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String name = texts.get(in.readUnsignedShort());
            int length = in.readInt();
            if ("SourceFile".equals(name)) {
                source = texts.get(in.readUnsignedShort());
            } else {
                skip(in, length);
            }
        }
    }

    private void readConstants(DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        for (int index = 1; index < count; index++) {
            int tag = in.readUnsignedByte();
            if (tag == 1) {
                texts.put(index, in.readUTF());
            } else if (tag == 7) {
                places.add(in.readUnsignedShort());
            } else {
                skip(in, constantLength(tag));
                index += tag == 5 || tag == 6 ? 1 : 0; // long and double take two places
            }
        }
    }

    private static int constantLength(int tag) {
        switch (tag) {
            case 5:
            case 6:
                return 8;
            case 15:
                return 3;
            case 8:
            case 16:
            case 19:
            case 20:
                return 2;
            default:
                return 4;
        }
    }

    private void readMembers(DataInputStream in) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            in.readUnsignedShort();
            String member = texts.get(in.readUnsignedShort());
            in.readUnsignedShort();
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                String name = texts.get(in.readUnsignedShort());
                int length = in.readInt();
                if ("Code".equals(name)) {
                    readCode(in, member);
                } else {
                    skip(in, length);
                }
            }
        }
    }

    private void readCode(DataInputStream in, String method) throws IOException {
        in.readInt();
        skip(in, in.readInt());
        skip(in, 8 * in.readUnsignedShort()); // handlers of exceptions
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
            String name = texts.get(in.readUnsignedShort());
            int length = in.readInt();
            if ("LineNumberTable".equals(name)) {
                readLines(in, method);
            } else {
                skip(in, length);
            }
        }
    }

    private void readLines(DataInputStream in, String method) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            in.readUnsignedShort();
            int line = in.readUnsignedShort();
            Integer first = lines.get(method);
            if (first == null || line < first) {
                lines.put(method, line);
            }
        }
    }

    private static void skip(DataInputStream in, int length) throws IOException {
        in.readFully(new byte[length]);
    }
}
