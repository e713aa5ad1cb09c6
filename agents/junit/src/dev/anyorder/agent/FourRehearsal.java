package dev.anyorder.agent;

import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;

/** What {@link Rehearsal} runs. */
public class FourRehearsal {
    @BeforeClass
    public static void setUpAll() {}

    @Before
    public void setUp() {}

    @Test
    public void runs() {}

    @After
    public void tearDown() {}

    @AfterClass
    public static void tearDownAll() {}
}
