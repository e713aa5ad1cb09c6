package dev.anyorder.agent;

/** All that a stay is in: it holds whatever the stay takes. */
abstract class Whole implements Part {
    @Override
    public final boolean isTest() {
        return false;
    }

    @Override
    public final boolean holds(Test test) {
        return true;
    }
}
