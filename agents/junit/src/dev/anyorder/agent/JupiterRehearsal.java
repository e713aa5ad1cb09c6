package dev.anyorder.agent;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@link Rehearsal} runs. */
class JupiterRehearsal {
    @BeforeAll
    static void setUpAll() {}

    @BeforeEach
    void setUp() {}

    @Test
    void runs() {}

    @AfterEach
    void tearDown() {}

    @AfterAll
    static void tearDownAll() {}
}
