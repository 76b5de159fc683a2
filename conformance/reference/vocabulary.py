"""The texts of the dataset: names, languages, states, comments and replies."""

from typing import Final, NamedTuple

COMPANY_NAMES: Final = (
    "Nordlicht Studios",
    "Cascade Learning",
    "Ateliê Três Marés",
    "Meridian Broadcast",
)

SOURCE_LANGUAGES: Final = ("en-GB", "en-US", "de-DE", "pt-BR", "ja-JP")

TARGET_LANGUAGES: Final = ("fr-FR", "es-MX", "pl-PL", "tr-TR", "ko-KR", "uk-UA", "hi-IN", "sv-SE")

SERIES: Final = (
    "Harbour Lights",
    "The Long Thaw",
    "Über den Dächern",
    "Salt and Silver",
    "Café Zénith",
    "Small Engines",
    "Die stille Grenze",
    "Kitchen Physics",
    "Onda Curta",
    "Safety at Height",
    "東京の朝",
    "First Ninety Days",
    "Orchard Road",
)

EDITIONS: Final = (
    "season 1",
    "season 2",
    "season 3",
    "trailers",
    "festival cut",
    "behind the scenes",
    "summer specials",
    "director's cut",
    "recaps",
    "short form",
    "anniversary edition",
    "classroom edition",
    "making of",
)

EPISODES: Final = (
    "The Breakwater",
    "Anna's Ledger",
    "Fünf vor Zwölf",
    "A Borrowed Coat",
    "Niña de Agua",
    "What the Tide Left",
    "Ground Rules",
    "Le Dernier Été",
    "Spare Parts",
    "雨の日",
    "Two Keys",
    "The Quiet Car",
    "Open Water",
)

COMMENT_BODIES: Final = (
    "The pause before this line is gone; could it come back?",
    "“Ledger” should stay in the plural here.",
    "Lip movement runs ahead of the voice by a few frames.",
    "This reads too formal for the character.",
    "The name is pronounced differently in episode one.",
    "Nice. Please keep this take.",
    "Ein Satz fehlt: „Wir sehen uns am Kai.“",
    "Can the subtitle leave the screen half a second later?",
    "The joke does not work in translation; a freer version is fine.",
    "Background voices are louder than the dialogue.",
)

REPLIES: Final = (
    "Fixed in the next revision.",
    "Agreed.",
    "Could you say which take you mean?",
    "That follows the glossary; see the entry for this term.",
    "Obrigado, já corrigi.",
)


class VideoStage(NamedTuple):
    """The stage of the preparation of a video."""

    ingestion: str
    transcript: str
    voices: str


UNPREPARED: Final = (
    VideoStage("uploading", "not_started", "not_started"),
    VideoStage("processing", "not_started", "not_started"),
    VideoStage("failed", "not_started", "not_started"),
    VideoStage("ready", "in_review", "not_started"),
)

PREPARED: Final = (
    VideoStage("ready", "approved", "not_started"),
    VideoStage("ready", "approved", "in_progress"),
    VideoStage("ready", "approved", "completed"),
)


class LocalizationStage(NamedTuple):
    """The stage of one localization of a video."""

    status: str
    translation: str
    lip_sync: str


COMPLETED: Final = LocalizationStage("completed", "approved", "completed")

LOCALIZATION_STAGES: Final = (
    LocalizationStage("queued", "not_started", "not_started"),
    LocalizationStage("translating", "not_started", "not_started"),
    LocalizationStage("in_review", "pending", "not_started"),
    LocalizationStage("dubbing", "approved", "processing"),
    LocalizationStage("in_review", "approved", "completed"),
    COMPLETED,
    COMPLETED,
    LocalizationStage("failed", "changes_requested", "not_started"),
)


class ReviewState(NamedTuple):
    """The state of a review; `unavailable_reason` is empty if it can be approved."""

    status: str
    unavailable_reason: str


APPROVED: Final = ReviewState("approved", "The review is approved already.")

REVIEW_STATES: Final = (
    ReviewState("pending", ""),
    ReviewState("pending", ""),
    APPROVED,
    ReviewState("pending", ""),
    ReviewState(
        "changes_requested", "Changes were requested; the next revision gets a review of its own."
    ),
    ReviewState("pending", ""),
    ReviewState("pending", "The lip sync of this revision is still being processed."),
    ReviewState("pending", ""),
    APPROVED,
    ReviewState("pending", ""),
    ReviewState("superseded", "A newer revision of the subject exists."),
    ReviewState("pending", ""),
)

AUDIENCES: Final = ("internal", "client", "client", "legal")

ACTIVITY_STATES: Final = ("completed", "completed", "running", "failed", "queued")
