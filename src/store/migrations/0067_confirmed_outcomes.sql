-- running instances continue
-- How many nodes report an outcome, and the comparison of final states with the archive and the nodes.

-- Nodes that reported the final outcome, of so many. Null: no outcome, or the index alone has it.
alter table tx.submissions add column confirmed_by int;
alter table tx.submissions add column nodes int;

-- States without success that are not compared with the archive yet. is_indexed ends that, once the ledgers are indexed in which they could be applied.
create index submissions_unproven on tx.submissions (id) where not is_indexed and status in ('FAILED', 'REJECTED', 'EXPIRED', 'UNKNOWN');

-- Submissions that a verification compares; without a result, they wait for their driver.
create table tx.submission_checks (
  submission_id bigint primary key references tx.submissions (id) on delete cascade,
  result text check (result ~ '^(same|corrected|unverifiable)$')
);
