"""Company detail and the list of insider transactions as a FastAPI service would serve them in
production: asyncpg's pool with its cache of prepared statements, validation by Pydantic, keys
from memory, ETags from the versions of the datasets. The list is there in the three ways in which
FastAPI's documentation answers with a dictionary: handed to a JSONResponse, which goes round FastAPI's
own encoder; below /returned, returned from the function, so that FastAPI encodes it; below /modelled,
with response_model, so that each row is checked and copied as well.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import uuid
from dataclasses import dataclass
from datetime import date
from typing import List, Literal, Optional
from urllib.parse import urlencode

import asyncpg
from fastapi import Depends, FastAPI, HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, Response

import models
import queries

POOL = int(os.environ["BENCH_POOL"])
SECRET = os.environ["BENCH_SECRET"].encode()
BASE_URL = os.environ["BENCH_BASE_URL"]
TransactionCode = Literal[
    "P", "S", "V", "A", "D", "F", "I", "M", "C", "E", "H", "O", "X", "G", "L", "W", "Z", "J", "K",
    "U"]
HEADERS = {
    "Cache-Control": "private, no-cache",
    "Vary": "Authorization, Accept, Accept-Encoding",
    "X-RateLimit-Limit": "1000",
    "X-RateLimit-Remaining": "999",
    "X-RateLimit-Reset": "1",
}

app = FastAPI(openapi_url=None)
keys = {os.environ["BENCH_KEY_SHA256"]: {"plan": "enterprise"}}
versions = {}


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sha256(text: str) -> str:
    return base64url(hashlib.sha256(text.encode()).digest())


# ---- start: the pool, and dataset versions read every second, so that a tag costs no query ----


async def prepare_connection(connection):
    """Decimals as floats, timestamps as their JSON text."""
    await connection.set_type_codec(
        "numeric", schema="pg_catalog", format="text", encoder=str, decoder=float)
    await connection.set_type_codec(
        "timestamptz", schema="pg_catalog", format="text", encoder=str,
        decoder=lambda text: text[:10] + "T" + text[11:-3] + "Z")


async def read_versions():
    rows = await app.state.pool.fetch(queries.VERSIONS)
    versions.update((row["dataset"], row["version"]) for row in rows)


async def watch_versions():
    while True:
        await asyncio.sleep(1)
        await read_versions()


@app.on_event("startup")
async def start():
    app.state.pool = await asyncpg.create_pool(
        min_size=1, max_size=POOL, init=prepare_connection,
        server_settings={"TimeZone": "UTC", "search_path": "disclosed,public",
                         "plan_cache_mode": "force_generic_plan"})
    await read_versions()
    app.state.watcher = asyncio.create_task(watch_versions())


@app.on_event("shutdown")
async def stop():
    app.state.watcher.cancel()
    await app.state.pool.close()


# ---- keys and tags ----


async def authenticate(request: Request):
    given = request.headers.get("authorization", "")
    caller = keys.get(sha256(given[7:])) if given.startswith("Bearer ") else None
    if caller is None:
        raise HTTPException(401, "a key is needed")
    return caller


def tag(request: Request, datasets) -> str:
    seen = ".".join(str(versions.get(name, 0)) for name in datasets)
    return 'W/"' + sha256(f"{seen} {request.url.path}?{request.url.query}") + '"'


def headers_with(etag: str) -> dict:
    return {"X-Request-Id": "req_" + uuid.uuid4().hex, "ETag": etag, **HEADERS}


# ---- cursors: place and filters, authenticated ----


def sign(place: str, filters: str) -> bytes:
    return hmac.digest(SECRET, f"{place} {filters}".encode(), "sha256")[:16]


def write_cursor(row, filters: str) -> str:
    place = f"{row['filing_date'].isoformat()},{row['id']}"
    return base64url(sign(place, filters) + place.encode())


def read_cursor(text: str, filters: str):
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        place = data[16:].decode()
    except ValueError:
        place = ""
    if not place or not hmac.compare_digest(data[:16], sign(place, filters)):
        raise HTTPException(422, "cursor is not one of this query")
    day, number = place.split(",")
    return date.fromisoformat(day), int(number)


# ---- rows to JSON objects ----


def day(value):
    return value and value.isoformat()


def cik(number):
    return None if number is None else f"{number:010d}"


def amount(raw, unit):
    if raw is None:
        return None
    return {"raw": raw, "normalized": raw, "unit": unit, "original_unit": unit,
            "conversion_factor": 1}


def provenance(dataset, row):
    if row["src_digest"] is None:
        return None
    return {
        "src_id": f"src_{dataset}_{row['src_digest'].hex}",
        "source_provider": row["source_provider"],
        "source_url": row["source_url"],
        "accession": row["accession"],
        "quote": row["quote"],
        "content_hash": row["content_hash"],
        "extracted_at": row["extracted_at"],
    }


def insider_item(row):
    return {
        "id": row["id"],
        "symbol": row["symbol"],
        "ticker": row["ticker"],
        "company_cik": cik(row["company_cik"]),
        "insider": {
            "name": row["insider_name"],
            "relationship": row["relationship"],
            "joint_owners": row["joint_owners"],
        },
        "transaction_type": row["transaction_type"],
        "transaction_code": row["transaction_code"],
        "shares": row["shares"],
        "price": amount(row["price"], "USD_per_share"),
        "value": amount(row["value"], "USD"),
        "shares_owned_after": row["shares_owned_after"],
        "transaction_date": day(row["transaction_date"]),
        "filing_date": day(row["filing_date"]),
        "form": row["form"],
        "is_derivative": row["is_derivative"],
        "security_title": row["security_title"],
        "acquired_disposed": row["acquired_disposed"],
        "ownership": row["ownership"],
        "footnotes": row["footnotes"] and json.loads(row["footnotes"]),
        "remarks": row["remarks"],
        "provenance": provenance("insider", row),
    }


def company_item(row):
    item = {name: row[name] for name in queries.COMPANY_FIELDS}
    item["cik"] = cik(row["cik"])
    item["description_provenance"] = provenance("company", row)
    return item


# ---- routes ----


@app.get("/v1/companies/{symbol}", dependencies=[Depends(authenticate)])
async def company(
    request: Request,
    symbol: str = Path(regex=r"^[A-Za-z0-9.\-]{1,32}(:[A-Za-z]{1,16})?$"),
):
    headers = headers_with(tag(request, ("company", "listing")))
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    row = await request.app.state.pool.fetchrow(*queries.company(symbol))
    if row is None:
        raise HTTPException(404, "no such company")
    return JSONResponse(company_item(row), headers=headers)


@dataclass
class InsiderQuery:
    filters: dict
    cursor: Optional[str]
    limit: int
    direction: str


# A coroutine, because FastAPI calls other dependencies in a thread.
async def insider_query(
    transaction_types: Optional[List[TransactionCode]] = Query(None),
    min_value: Optional[float] = None,
    start_date: Optional[date] = None,
    end_date: Optional[date] = None,
    cursor: Optional[str] = None,
    limit: int = Query(50, ge=1, le=500),
    direction: Literal["asc", "desc"] = "desc",
) -> InsiderQuery:
    filters = {"transaction_types": transaction_types, "min_value": min_value,
               "start_date": start_date, "end_date": end_date}
    return InsiderQuery(filters, cursor, limit, direction)


async def insider_body(request: Request, query: InsiderQuery, headers: dict) -> dict:
    """The page; adds the link to the next one to `headers`."""
    bound = json.dumps([query.filters, query.direction], default=str)
    after = read_cursor(query.cursor, bound) if query.cursor else None
    rows = await request.app.state.pool.fetch(
        *queries.insider(query.filters, query.direction, query.limit, after))
    more = len(rows) > query.limit
    rows = rows[:query.limit]
    following = write_cursor(rows[-1], bound) if more else None
    if more:
        pairs = [pair for pair in request.query_params.multi_items() if pair[0] != "cursor"]
        address = f"{BASE_URL}{request.url.path}?{urlencode(pairs + [('cursor', following)])}"
        headers["Link"] = f'<{address}>; rel="next"'
    return {"data": [insider_item(row) for row in rows],
            "pagination": {"next_cursor": following, "has_more": more}}


@app.get("/v1/insider", dependencies=[Depends(authenticate)])
async def insider(request: Request, query: InsiderQuery = Depends(insider_query)):
    headers = headers_with(tag(request, ("insider", "company", "listing")))
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return JSONResponse(await insider_body(request, query, headers), headers=headers)


async def insider_returned(request: Request, response: Response, query: InsiderQuery):
    headers = headers_with(tag(request, ("insider", "company", "listing")))
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    body = await insider_body(request, query, headers)
    response.headers.update(headers)
    return body


@app.get("/returned/v1/insider", dependencies=[Depends(authenticate)])
async def returned_insider(
    request: Request, response: Response, query: InsiderQuery = Depends(insider_query)
):
    return await insider_returned(request, response, query)


@app.get("/modelled/v1/insider", dependencies=[Depends(authenticate)],
         response_model=models.InsiderList)
async def modelled_insider(
    request: Request, response: Response, query: InsiderQuery = Depends(insider_query)
):
    return await insider_returned(request, response, query)
