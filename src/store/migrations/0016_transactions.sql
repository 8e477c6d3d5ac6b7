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
  -- Nodes that reported the final outcome, of so many. Null: no outcome, or the index alone has it.
  confirmed_by int,
  nodes int,
  -- The state that the log has last; null: none, because no node has accepted the transaction so far.
  logged_status text,
  unique (owner, hash)
);
create index submissions_by_client_id on tx.submissions (owner, client_id, id) where client_id is not null;
create index submissions_by_owner on tx.submissions (owner, id);
create index submissions_due on tx.submissions (due_at) where due_at is not null;
-- Refused submissions that the log does not have are deleted after some time.
create index submissions_refused on tx.submissions (owner, updated_at) where status in ('PREPARED', 'REJECTED') and logged_status is null;
create index submissions_refused_by_age on tx.submissions (updated_at) where status in ('PREPARED', 'REJECTED') and logged_status is null;
-- States without success that are not compared with the archive yet. is_indexed ends that, once the ledgers are indexed in which they could be applied.
create index submissions_unproven on tx.submissions (id) where not is_indexed and status in ('FAILED', 'REJECTED', 'EXPIRED', 'UNKNOWN');
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

-- Submissions that a verification compares; without a result, they wait for their driver.
create table tx.submission_checks (
  submission_id bigint primary key references tx.submissions (id) on delete cascade,
  result text check (result ~ '^(same|corrected|unverifiable)$')
);
