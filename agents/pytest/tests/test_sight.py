"""The lines that load a name are told, if they ran."""

READING = """
    import shelf
    from shelf import BOOKS

    def helper(books):
        return sorted(books, key=lambda book: book.title)

    def test_reads(rack=None):
        if rack:
            return shelf.BOOKS
        assert helper(BOOKS) == []
        assert getattr(shelf, "LABEL") == "a"
        assert shelf.count() == 1
        import late

    def test_reads_nothing():
        assert True
    """
SHELF = """
    import string

    BOOKS = []
    LABEL = "a"
    LIMIT = 1

    def make():
        counted = 0

        def count(step=1):
            nonlocal counted
            counted += step
            return (
                counted
                if LIMIT
                else 0
            )

        return count

    count = make()

    def words(text):
        return string.Template(text).substitute()
    """
NAMES = [
    "shelf.BOOKS", "test_it.BOOKS", ".LABEL", "shelf<counted>", "shelf.LIMIT", "shelf.count()", "import late", ".delimiter",
]


def test_lines_that_load_a_name_are_told_if_they_ran(suite):
    engine, fresh = suite(test_it=READING, shelf=SHELF, late="import shelf\n\nWORDS = shelf.words('a')\n")
    child = engine.fork(fresh)
    child.tell("sight", names=NAMES)
    first, second = child.run(0, 1)
    child.close()
    assert first["outcome"] == second["outcome"] == "passed"
    assert second["read"] == []
    seen = {(read["name"], read["file"], read["line"]) for read in first["read"] if read["name"] != ".delimiter"}
    assert seen == {
        ("test_it.BOOKS", "test_it.py", 11), (".LABEL", "test_it.py", 12), ("import late", "test_it.py", 14),
        ("shelf<counted>", "shelf.py", 13), ("shelf<counted>", "shelf.py", 15), ("shelf.LIMIT", "shelf.py", 16),
        ("shelf.count()", "shelf.py", 11),
    }
    library = {(read["file"], read["line"]) for read in first["read"] if read["name"] == ".delimiter"}
    assert library <= {("shelf.py", 25)}
