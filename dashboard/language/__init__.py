"""Speak to people in their language: words, numbers, money, days."""

from dashboard.language.choosing import LANGUAGES, chosen_language
from dashboard.language.retelling import cause_told, retold
from dashboard.language.speech import Speech, speech_in

__all__ = ["LANGUAGES", "Speech", "cause_told", "chosen_language", "retold", "speech_in"]
