"""The list of insider transactions as Pydantic models, for the route with response_model."""

from datetime import date
from typing import List, Optional

from pydantic import BaseModel


class Value(BaseModel):
    raw: float
    normalized: float
    unit: str
    original_unit: str
    conversion_factor: float


class Provenance(BaseModel):
    src_id: str
    source_provider: str
    source_url: Optional[str]
    accession: Optional[str]
    quote: Optional[str]
    content_hash: Optional[str]
    extracted_at: Optional[str]


class Insider(BaseModel):
    name: str
    relationship: str
    joint_owners: Optional[List[str]]


class Footnote(BaseModel):
    id: Optional[str]
    field: Optional[str]
    text: Optional[str]


class InsiderTransaction(BaseModel):
    id: int
    symbol: Optional[str]
    ticker: Optional[str]
    company_cik: Optional[str]
    insider: Insider
    transaction_type: str
    transaction_code: Optional[str]
    shares: Optional[float]
    price: Optional[Value]
    value: Optional[Value]
    shares_owned_after: Optional[float]
    transaction_date: Optional[date]
    filing_date: date
    form: str
    is_derivative: bool
    security_title: Optional[str]
    acquired_disposed: Optional[str]
    ownership: Optional[str]
    footnotes: Optional[List[Footnote]]
    remarks: Optional[str]
    provenance: Provenance


class Pagination(BaseModel):
    next_cursor: Optional[str]
    has_more: bool


class InsiderList(BaseModel):
    data: List[InsiderTransaction]
    pagination: Pagination
