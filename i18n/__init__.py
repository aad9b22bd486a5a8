"""Translations, and numbers, money and dates as each language writes them."""

from i18n.translate import LANGUAGES, Translator, choose_language, get_translator

__all__ = ["LANGUAGES", "Translator", "choose_language", "get_translator"]
