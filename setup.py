"""For ``python setup.py bdist_egg``, which scrapyd-deploy runs; everything is said in pyproject.toml."""

from setuptools import setup

setup()
