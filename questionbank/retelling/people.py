"""First names of written problems, from many countries."""

from __future__ import annotations

WOMEN = (
    "Aaliyah Amara Ana Beatriz Chloe Dilnoza Elif Emma Fatima Freya Hana Ingrid Isla Jasmine Keiko "
    "Leila Lucia Mei Miriam Nadia Ngozi Noor Olivia Priya Rosa Sakura Sofia Tala Wanjiru Yael Zainab "
    "Zofia"
).split()
MEN = (
    "Ahmed Arjun Ben Bilal Carlo Daniel Diego Emeka Farid Finn George Hiroshi Hugo Ibrahim Jamal "
    "Jonah Kofi Liam Mateo Minh Nikolai Oliver Omar Pablo Rafael Ravi Samuel Tariq Theo Victor Wei "
    "Yusuf"
).split()
