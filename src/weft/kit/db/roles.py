"""The two roles that Weft acts under. Roles belong to the cluster, so a dump does not carry them."""

ROLES = """
DO $$
DECLARE wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['weft_app', 'weft_system'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', wanted);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;  -- roles belong to the cluster: another database of Weft's has made it
    END;
    IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', wanted);
  END LOOP;
END $$;
"""
