"""Speak to people in their language: words, numbers, money, days."""

from i18n.translate import LANGUAGES, Speech, chosen_language, speech_in

__all__ = ["LANGUAGES", "Speech", "chosen_language", "speech_in"]
