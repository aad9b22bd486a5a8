"""Tell the owner by a message what they should know, once, and never a word of a document."""
