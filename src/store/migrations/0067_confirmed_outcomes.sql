-- How many nodes reported a final outcome, of how many. Null: not known, or the index alone has it.
alter table tx.submissions add column confirmed_by integer;
alter table tx.submissions add column nodes integer;
update tx.submission_changes set row = row || '{"confirmedBy": null, "nodes": null}'::jsonb;

-- States without success that the archive has not been compared with yet, after the ledgers in which the transaction could be.
create index submissions_unproven on tx.submissions (id)
  where not is_indexed and status in ('FAILED', 'REJECTED', 'EXPIRED', 'UNKNOWN');

-- Submissions that a verification has compared with archive and nodes: those without a result are to be compared.
create table tx.submission_checks (
  submission_id bigint primary key references tx.submissions (id) on delete cascade,
  result text check (result ~ '^(same|corrected|unverifiable)$')
);
