"""The tables of the bank.

Models hold columns, constraints and what a row can say about itself. Whatever writes lives in
`questionbank.services`, whatever reads more than one row in `questionbank.selectors`; models import
neither.
"""

from questionbank.models.artifact import ModelArtifact, ModelComparison, ModelEvent, ModelRetention
from questionbank.models.attachment import Attachment, QuestionOriginal
from questionbank.models.bulk_change import BulkChange, BulkChangeItem
from questionbank.models.concept import KnowledgeConcept, KnowledgeHierarchy
from questionbank.models.document_draft import DocumentDraft
from questionbank.models.embedding import EmbeddingSet, Projection, QuestionEmbedding
from questionbank.models.equation import GRAPH_KEY_LIMIT, QuestionEquation, QuestionSolution
from questionbank.models.facet_count import FacetCount
from questionbank.models.importing import ImportDuplicate, ImportUpdate
from questionbank.models.mail import OutgoingMail
from questionbank.models.paraphrase import BatchDeletion, ParaphrasePair
from questionbank.models.question import Question, QuestionTag
from questionbank.models.question_list import QuestionList, QuestionListItem
from questionbank.models.review import (
    ReviewDecision,
    ReviewGuideline,
    ReviewLease,
    ReviewPreference,
    SettlementLease,
)
from questionbank.models.run import Run, RunLog, RunMetric, WorkBlock, WorkerHeartbeat
from questionbank.models.search import LongQuery, SynonymGroup, VocabularyWord
from questionbank.models.user import User, UserRole
from questionbank.models.variant import ProblemVariant
from questionbank.models.worksheet import QuestionUse, Worksheet, WorksheetItem

__all__ = [
    "GRAPH_KEY_LIMIT",
    "Attachment",
    "BatchDeletion",
    "BulkChange",
    "BulkChangeItem",
    "DocumentDraft",
    "EmbeddingSet",
    "FacetCount",
    "ImportDuplicate",
    "ImportUpdate",
    "KnowledgeConcept",
    "KnowledgeHierarchy",
    "LongQuery",
    "ModelArtifact",
    "ModelComparison",
    "ModelEvent",
    "ModelRetention",
    "OutgoingMail",
    "ParaphrasePair",
    "ProblemVariant",
    "Projection",
    "Question",
    "QuestionEmbedding",
    "QuestionEquation",
    "QuestionList",
    "QuestionListItem",
    "QuestionOriginal",
    "QuestionSolution",
    "QuestionTag",
    "QuestionUse",
    "ReviewDecision",
    "ReviewGuideline",
    "ReviewLease",
    "ReviewPreference",
    "Run",
    "RunLog",
    "RunMetric",
    "SettlementLease",
    "SynonymGroup",
    "User",
    "UserRole",
    "VocabularyWord",
    "WorkBlock",
    "WorkerHeartbeat",
    "Worksheet",
    "WorksheetItem",
]
