"""Run and check artefacts. Needs numpy and ml_dtypes; a vendor binding only to open its device."""
