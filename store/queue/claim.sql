-- For reading: claims.py builds this statement (`_build_claim`), and a test compares the two. Shown for any
-- instance, job and kind on SQLite. With several instances, `first` is the first of one such query for each.
-- PostgreSQL adds FOR UPDATE SKIP LOCKED to it.
UPDATE jobs SET
    status='processing',
    claim=(jobs.claim + 1),
    attempts=(jobs.attempts + CASE WHEN (jobs.ends_as IS NOT NULL) THEN 0 ELSE 1 END),
    stage=NULL,
    progress=0,
    worker=:claimant,
    trace=:new_trace,
    heartbeat_at=:now,
    cancel_requested=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_requested END,
    reconciles=(jobs.reconciles + CASE WHEN (jobs.ends_as IS NOT NULL) THEN 1 ELSE 0 END),
    cancel_message=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_message END,
    cancel_code=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_code END,
    cancel_actor=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_actor END,
    cancel_by=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_by END,
    cancel_why=CASE WHEN (jobs.ends_as IS NOT NULL) THEN jobs.cancel_why END,
    started_at=:now,
    updated_at=:now,
    model_call=NULL
WHERE jobs.id = (
    SELECT first.id FROM (
        SELECT jobs.id AS id, jobs.recovered AS recovered, jobs.priority AS priority
        FROM jobs
        WHERE jobs.status = 'pending'
            AND jobs.scheduled_for <= :now
            AND NOT (EXISTS (SELECT * FROM holds
                WHERE holds.target IN (
                    'pause:*', 'pause:' || jobs.instance, 'paperless:' || jobs.instance,
                    'address:' || jobs.instance)
                AND holds.lifted_at IS NULL))
            AND (
                NOT (jobs.kind IN ('analyze', 'rehearse') AND jobs.ends_as IS NULL)
                OR NOT (
                    (EXISTS (SELECT * FROM holds
                        WHERE holds.target IN (
                            'limit:' || jobs.instance, 'hours:' || jobs.instance)
                        AND holds.lifted_at IS NULL))
                    OR jobs.priority <= 0 AND (EXISTS (SELECT * FROM holds
                        WHERE holds.target IN ('backlog:' || jobs.instance)
                        AND holds.lifted_at IS NULL))
                    OR (EXISTS (SELECT * FROM holds, instances
                        WHERE holds.lifted_at IS NULL
                        AND (holds.target = ('model:' || instances.endpoint)
                            OR holds.target = ('rate:' || instances.endpoint)
                            AND (holds.next_probe_at IS NULL
                                OR holds.next_probe_at > :now))
                        AND instances.name = jobs.instance)))
                OR jobs.id IN (SELECT changes.writer_job_id FROM changes
                    WHERE (write_begun_at IS NOT NULL OR undo_begun_at IS NOT NULL)
                    AND changes.state IN ('intended', 'applied')
                    AND changes.writer_job_id IS NOT NULL))
            AND NOT (EXISTS (SELECT * FROM jobs AS other
                WHERE other.status = 'processing'
                AND other.instance = jobs.instance
                AND other.document_id = jobs.document_id))
        ORDER BY jobs.priority DESC, jobs.id LIMIT 1 OFFSET 0
    ) AS first
    WHERE NOT (EXISTS (SELECT * FROM jobs AS mine
            WHERE mine.status = 'processing'
            AND mine.worker = :claimant
            AND mine.recovered = 1))
        AND (first.recovered = 0 OR NOT (EXISTS (SELECT * FROM jobs AS mine
            WHERE mine.status = 'processing' AND mine.worker = :claimant)))
)
AND jobs.status = 'pending'
RETURNING id, attempts, …; -- the columns of the job that are not written above
