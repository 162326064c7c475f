"""The tables of the bank.

Models hold columns, constraints and properties of a single row. Code that writes is in the rooms' services, and code
that reads more than one row in their selectors; models import neither.
"""

from questionbank.models.artifact import (
    ModelArtifact,
    ModelComparison,
    ModelEvent,
    ModelRetention,
    Retraining,
    RetrainingSchedule,
)
from questionbank.models.concept import KnowledgeConcept, KnowledgeHierarchy
from questionbank.models.embedding import EmbeddingSet, Projection, QuestionEmbedding
from questionbank.models.equation import GRAPH_KEY_LIMIT, ProblemVariant, QuestionEquation, QuestionSolution
from questionbank.models.facet_count import FacetCount
from questionbank.models.importing import DocumentDraft, ImportDuplicate, ImportUpdate
from questionbank.models.integrations import ApiKey, ApiRequest, Hook, HookDelivery, HookEvent
from questionbank.models.language_model import LanguageModelAnswer, LanguageModelExclusion, LanguageModelUse
from questionbank.models.lists import (
    BulkChange,
    BulkChangeItem,
    QuestionList,
    QuestionListItem,
    QuestionUse,
    Worksheet,
    WorksheetItem,
)
from questionbank.models.paraphrase import (
    BatchDeletion,
    ParaphrasePair,
    ReviewDecision,
    ReviewGuideline,
    ReviewLease,
    ReviewPreference,
    SettlementLease,
)
from questionbank.models.question import Attachment, Question, QuestionOriginal, QuestionTag
from questionbank.models.responses import ColumnChoice, ItemStatistics, Response, ResponseSeries, ResponseSet
from questionbank.models.run import Run, RunLog, RunMetric, WorkBlock, WorkerHeartbeat
from questionbank.models.search import (
    LongQuery,
    OutgoingMail,
    SavedSearch,
    SavedSearchOpening,
    SynonymGroup,
    VocabularyWord,
)
from questionbank.models.user import AuditEvent, Retention, School, SchoolMembership, User, UserRole
from questionbank.models.visibility import Visibility
