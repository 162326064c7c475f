"""Worksheets: lists of questions printed in several versions, with an answer key."""
