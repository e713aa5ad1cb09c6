package dev.anyorder.agent;

import java.util.Map;

/** Somebody to talk to in the words of {@code docs/wire.md}. */
interface Wire {
    void say(Map<String, Object> message);

    /** The agent itself has failed: tells so, and does not return. */
    void trouble(Throwable error);

    /** The next request. */
    Map<String, Object> receive();
}
