"""Speak to people in their language: words, numbers, money, days."""

from i18n.translate import LANGUAGES, Translator, choose_language, get_translator

__all__ = ["LANGUAGES", "Translator", "choose_language", "get_translator"]
