-- running instances must stop
-- The state of a submission that the log has last; null: none, because no node has accepted the transaction so far. A refused submission that the log does not
-- have is deleted after some time.
alter table tx.submissions add column logged_status text;
update tx.submissions set logged_status = status;
drop index tx.submissions_not_sent;
create index submissions_refused on tx.submissions (owner, updated_at) where status in ('PREPARED', 'REJECTED') and logged_status is null;
create index submissions_refused_by_age on tx.submissions (updated_at) where status in ('PREPARED', 'REJECTED') and logged_status is null;
