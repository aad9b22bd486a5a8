"""Speak to people in their language: words, numbers, money, days."""

from i18n.choosing import LANGUAGES, chosen_language
from i18n.translate import Speech, speech_in

__all__ = ["LANGUAGES", "Speech", "chosen_language", "speech_in"]
