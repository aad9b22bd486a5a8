"""Remember work: tables, every move of a job, migrations; the only place with SQL."""
