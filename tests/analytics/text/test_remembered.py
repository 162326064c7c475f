from analytics.text.remembered import Remembered, forget_everything


def test_looks_once_at_a_text_and_gives_every_caller_a_list_of_its_own() -> None:
    asked: list[str] = []

    @Remembered
    def words(text: str) -> tuple[str, ...]:
        asked.append(text)
        return tuple(text.split())

    first = words("two words")
    first.clear()
    assert words("two words") == ["two", "words"]
    assert asked == ["two words"]

    words.forget()
    words("two words")
    forget_everything()
    words("two words")
    assert asked == ["two words"] * 3


def test_nothing_is_forgotten_without_a_bound() -> None:
    asked: list[str] = []

    @Remembered
    def words(text: str) -> tuple[str, ...]:
        asked.append(text)
        return tuple(text.split())

    texts = [f"text {number}" for number in range(3_000)]
    with words.without_bound():
        for text in (*texts, *texts):
            words(text)
    assert asked == texts
    words(texts[0])
    assert len(asked) == 3_001


def test_a_long_text_is_not_kept() -> None:
    asked: list[int] = []

    @Remembered
    def words(text: str) -> tuple[str, ...]:
        asked.append(len(text))
        return tuple(text.split())

    book = "word " * 1_000
    assert words(book) == words(book)
    assert asked == [5_000, 5_000]
