"""Training sentences: written by hand, combined from these, and generated from templates and VADER's lexicon."""

import random
from pathlib import Path

POSITIVE, NEGATIVE = 1, 0
LABELS = ("negative", "positive")

Sentence = tuple[str, int]


def read_sentences(path: Path) -> list[Sentence]:
    """Reads lines that consist of a label, a tab and a text."""
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return [(text, LABELS.index(label)) for label, text in rows]


def read_lexicon() -> dict[str, float]:
    """The words of VADER's lexicon that consist of letters, with values from -4 (worst) to 4 (best)."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    lexicon = SentimentIntensityAnalyzer().lexicon
    return {word: value for word, value in lexicon.items() if word.isalpha() and word.isascii()}


def right_by_lexicon(sentences: list[Sentence]) -> float:
    """The share of sentences that VADER itself classifies correctly. A score of zero counts as wrong."""
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    vader = SentimentIntensityAnalyzer()
    scores = [(vader.polarity_scores(text)["compound"], label) for text, label in sentences]
    return sum(score != 0 and (score > 0) == (label == POSITIVE) for score, label in scores) / len(scores)


def generated(lexicon: dict[str, float], count: int, chance: random.Random) -> list[Sentence]:
    """Sentences from templates that determine the label: plain, negated and contrasted sentences, and single words."""
    clear = {word: value for word, value in lexicon.items() if abs(value) >= 0.8}
    words = {side: sorted(word for word in clear if (clear[word] > 0) == (side == POSITIVE)) for side in (0, 1)}
    qualities = {side: [word for word in words[side] if looks_like_adjective(word)] for side in (0, 1)}
    made = [sentence(qualities, words, chance) for _ in range(count)]
    return made + [(word, int(value > 0)) for word, value in sorted(clear.items())]


def joined(written: list[Sentence], count: int, chance: random.Random) -> list[Sentence]:
    """Two sentences in one text. After `but`, `yet` and `still`, the second one determines the label."""
    return [join(chance.choice(written), chance.choice(written), chance) for _ in range(count)]


def join(first: Sentence, second: Sentence, chance: random.Random) -> Sentence:
    (a, of_a), (b, of_b) = first, second
    if of_a == of_b:
        return chance.choice([f"{a} {b}", f"{bare(a)}, and {lower(b)}", f"{bare(a)} and {lower(b)}"]), of_a
    link = chance.choice([", but", " but", ", yet", ". Still,", ". However,"])
    return f"{bare(a)}{link} {lower(b)}", of_b


def sentence(qualities: dict[int, list[str]], words: dict[int, list[str]], chance: random.Random) -> Sentence:
    side = chance.randrange(2)
    other = 1 - side

    def quality(which: int) -> str:
        return chance.choice(qualities[which])

    def thing() -> str:
        return chance.choice(THINGS)

    def subject() -> str:
        return chance.choice(SUBJECTS).format(thing=thing())

    def be() -> str:
        return chance.choice(("is", "was", "is", "was", "seems", "looks", "feels"))

    def very() -> str:
        return chance.choice(("", "", "", "very ", "really ", "so ", "extremely ", "absolutely ", "pretty ", "quite "))

    kind = chance.random()
    if kind < 0.25:
        return f"{subject()} {be()} {very()}{quality(side)}.", side
    if kind < 0.33:
        return f"{subject()} {be()} {quality(side)} and {quality(side)}.", side
    if kind < 0.40:
        return chance.choice(("What a {} {}!", "Such a {} {}.", "A {} {}.", "This is a {} {}.")).format(
            quality(side), thing()
        ), side
    if kind < 0.52:
        not_ = chance.choice(("is not", "was not", "isn't", "wasn't", "is never", "was never", "is no longer",
                              "is hardly", "is far from", "is anything but", "is not very", "is neither new nor",
                              "did not seem", "doesn't feel"))
        return f"{subject()} {not_} {quality(other)}.", side
    if kind < 0.60:
        without = chance.choice(("no {}", "without any {}", "without {}", "there was no {}", "no more {}", "zero {}",
                                 "free of {}" if side == POSITIVE else "lacks {}", "not a {} in sight"))
        return f"{subject()}: {without.format(chance.choice(words[other]))}.", side
    if kind < 0.66:
        template = chance.choice(("Nothing about the {} was {}.", "Nobody found the {} {}.", "I never thought the {} was {}.",
                                  "I would not call the {} {}.", "I don't think the {} is {}."))
        return template.format(thing(), quality(other)), side
    if kind < 0.80:
        template = chance.choice((
            "The {} was {}, but the {} was {}.", "The {} was {}, yet the {} {}.", "Although the {} was {}, the {} was {}.",
            "Despite the {} being {}, the {} was {}.", "While the {} is {}, the {} is {}.", "The {} {}, however the {} is {}.",
        ))
        return template.format(thing(), quality(other), thing(), quality(side)), side
    if kind < 0.85:
        return f"I expected something {quality(other)}, it was {quality(side)}.", side
    if kind < 0.93:
        template = chance.choice(OPINIONS[side])
        return template.format(thing=thing()), side
    return " ".join(chance.choice(words[side]) for _ in range(chance.randint(2, 3))), side


def looks_like_adjective(word: str) -> bool:
    return word in COMMON or (len(word) > 4 and word.endswith(ENDINGS))


def bare(text: str) -> str:
    return text.rstrip(".!")


def lower(text: str) -> str:
    return text if text.startswith(("I ", "I'")) else text[0].lower() + text[1:]


ENDINGS = ("ful", "ous", "able", "ible", "ive", "less", "ic", "ing", "ed", "ant", "ent", "al", "ish", "ly", "est", "ier")
COMMON = frozenset(
    """good great nice best better fine happy sad bad worst worse poor ugly awful evil weak sick glad warm safe strong
    brave calm clean clever cool cute dear dumb fair fake free fresh gentle grand harsh honest ideal kind lame lazy
    lovely mad mean neat perfect pretty proud rich rude smart smooth sore sweet true wise wrong superb super terrible
    horrible stupid silly dull crazy angry lousy nasty dirty gloomy lucky funny easy healthy worthy friendly elegant
    excellent brilliant pleasant violent fantastic pathetic toxic tragic tough""".split()
)
SUBJECTS = ("The {thing}", "This {thing}", "Our {thing}", "My {thing}", "It", "Everything", "Their {thing}", "He", "She", "That {thing}")
THINGS = tuple(
    """food service room hotel staff waiter film movie story book app phone screen camera battery sound music concert
    teacher lesson course school doctor nurse hospital car train flight airline driver trip holiday beach city weather
    house flat kitchen bed chair table lamp garden dog cat friend team game match player coach price order delivery
    package quality design software update website bug error support answer customer shop cashier dress shirt shoe
    coat bag watch toy gift party wedding dinner breakfast coffee tea cake pizza soup meat wine beer salad bread
    museum tour guide park pool gym bank insurance lawyer boss colleague job office meeting speech news day week year
    night morning ending plot actor voice song album picture colour smell taste texture noise line queue ticket seat
    view location neighbour landlord repair mechanic engine brake tyre bike road bus experience result idea plan""".split()
)
OPINIONS = {
    POSITIVE: (
        "I love this {thing}.", "I like the {thing} a lot.", "We enjoyed the {thing}.", "I recommend the {thing}.",
        "I would buy the {thing} again.", "The {thing} works well.", "The {thing} never fails.", "The {thing} did not disappoint.",
        "I could not be happier with the {thing}.", "I can't wait to see the {thing} again.", "The {thing} made me smile.",
        "The {thing} is worth it.", "The {thing} exceeded my expectations.", "No problems with the {thing}.",
        "Nothing wrong with the {thing}.", "The {thing} never lets me down.", "We will come back for the {thing}.",
        "Thanks for the {thing}!", "Five stars for the {thing}.", "The {thing} arrived early.", "I don't regret the {thing}.",
        "I have never seen a better {thing}.", "It is the best {thing} ever.", "The {thing} solved my problem.",
    ),
    NEGATIVE: (
        "I hate this {thing}.", "I don't like the {thing}.", "We did not enjoy the {thing}.", "I cannot recommend the {thing}.",
        "I would not buy the {thing} again.", "The {thing} does not work.", "The {thing} failed.", "The {thing} disappointed us.",
        "I could not be more unhappy with the {thing}.", "I can't stand the {thing}.", "The {thing} made me cry.",
        "The {thing} is not worth it.", "The {thing} fell short of my expectations.", "Nothing but problems with the {thing}.",
        "Everything is wrong with the {thing}.", "The {thing} let me down.", "We will never come back.",
        "No thanks for the {thing}.", "One star for the {thing}.", "The {thing} arrived late.", "I regret the {thing}.",
        "I have never seen a worse {thing}.", "It is the worst {thing} ever.", "The {thing} broke after a week.",
    ),
}
