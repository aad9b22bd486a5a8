"""Speak to people in their language: words, numbers, money, days."""

from dashboard.language.choosing import LANGUAGES, chosen_language
from dashboard.language.speech import Speech, speech_in

__all__ = ["LANGUAGES", "Speech", "chosen_language", "speech_in"]
