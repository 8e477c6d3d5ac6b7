-- baseline
-- Prepared and submitted transactions: primary data, which nothing can compute again.
create schema tx;

-- Prepared transactions. Rows are deleted some time after they expire.
create table tx.prepared (
  hash text primary key,
  owner text not null,
  op text not null,
  client_id text,
  -- Unix seconds.
  expires_at bigint not null,
  -- Milliseconds.
  prepared_at bigint not null
);
create index prepared_by_age on tx.prepared (prepared_at);
create index prepared_by_client_id on tx.prepared (owner, client_id, prepared_at) where client_id is not null;
create index prepared_by_owner on tx.prepared (owner, prepared_at);

-- Client ids of submitted transactions. `held_until` is in milliseconds.
create table tx.client_ids (
  owner text not null,
  client_id text not null,
  hash text not null,
  held_until bigint not null,
  primary key (owner, client_id)
);
create index client_ids_by_age on tx.client_ids (held_until);

-- Submitted transactions, one row per owner: what one owner signs and sends must not change the record of another one.
create table tx.submissions (
  -- The order of the lists.
  id bigint generated always as identity primary key,
  owner text not null,
  hash text not null,
  op text,
  -- The source account.
  trader text not null,
  client_id text,
  -- The sequence number that the transaction consumes.
  sequence numeric(20) not null,
  -- The upper time bound in Unix seconds; null: the transaction never expires.
  expires_at bigint,
  status text not null check (status ~ '^(PREPARED|PENDING|SUCCESS|FAILED|REJECTED|EXPIRED|UNKNOWN)$'),
  -- The signed envelopes to send: one that a node accepted, or several with different signatures until then. Empty in a final state.
  envelopes jsonb not null,
  accepted boolean not null,
  attempts int not null,
  ledger bigint,
  ts bigint,
  contract_error jsonb,
  host_error jsonb,
  tx_result_code text,
  result_xdr text,
  message text,
  -- What its events name, once its ledger is indexed.
  order_id bigint,
  position_id bigint,
  is_indexed boolean not null default false,
  -- Milliseconds.
  submitted_at bigint not null,
  updated_at bigint not null,
  -- When it is driven next; null: it is not driven.
  due_at bigint,
  -- The instance that drives it, until its lease ends.
  driver text,
  leased_until bigint,
  -- When the envelope was sent last, in milliseconds; null: it may not have been sent yet.
  sent_at bigint,
  unique (owner, hash)
);
create index submissions_by_client_id on tx.submissions (owner, client_id, id) where client_id is not null;
create index submissions_by_owner on tx.submissions (owner, id);
create index submissions_due on tx.submissions (due_at) where due_at is not null;
-- Submissions that the network never had are deleted after some time.
create index submissions_not_sent on tx.submissions (updated_at) where status in ('PREPARED', 'REJECTED');
create index submissions_to_index on tx.submissions (ledger) where status = 'SUCCESS' and not is_indexed;

-- Changes of submissions, each with the row as GET /v1/tx/{hash} returned it then. The indexer gives each one its position in the log.
create table tx.submission_changes (
  id bigint generated always as identity primary key,
  owner text not null,
  hash text not null,
  row jsonb not null,
  -- Milliseconds.
  changed_at bigint not null,
  seq bigint unique
);
create index submission_changes_by_hash on tx.submission_changes (owner, hash, id);
create index submission_changes_by_owner on tx.submission_changes (owner, seq) where seq is not null;
-- The submissions of an owner at a time, and the changes of each.
create index submission_changes_by_time on tx.submission_changes (owner, changed_at, id);
create index submission_changes_unnumbered on tx.submission_changes (id) where seq is null;
