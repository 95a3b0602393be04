"""Find orders to a machine in a text that its readers do not see."""

from __future__ import annotations

import re

MAX_READ = 100_000  # characters
MACHINE = r"(?:\bAI\b|\bLLMs?\b|\bGPT\b|ChatGPT|\bClaude\b|\bGemini\b|\bCopilot\b|language models?|chat ?bots?)"
MACHINES = (
    r"(?:\bAI (?:systems?|models?|assistants?|agents?|crawlers?|bots?|reading|processing|that)|\bLLMs?\b"
    r"|language models?|\bChatGPT|\bClaude|\bGemini|\bCopilot)\b"
)
# Addresses to a machine, and the order to forget what was said before in the languages most pages are written in.
ORDERS = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,40}\b(?:instructions?|prompts?|directives?|guidelines)\b",
    r"\b(?:new|updated|hidden|secret) (?:system )?(?:instructions?|prompt)\s*:",
    r"\bsystem ?(?:prompt|message|override)\b\W{0,3}(?:[:=]|you)",
    rf"\b(?:if|when|since|because) you(?:'re|’re| are) an? (?:\w+ )?{MACHINE}",
    r"\byou are (?:now )?an? (?:\w+ )?(?:AI(?: assistant| model| agent)?|LLM|language model|helpful assistant)"
    r"(?:[.,;:!]|$| (?:that|who|which|and|trained|designed|tasked)\b)",
    rf"\b(?:note|notice|attention|message|instructions?)\b (?:to|for) (?:all |any |the )?{MACHINE}",
    rf"\b(?:attention|dear)\b[\s,:]+{MACHINE}",
    rf"{MACHINES}[^.!?]{{0,40}}\b(?:must|shall|should|are (?:asked|told|instructed) to|ignore)\b[^.!?]{{0,40}}"
    r"\b(?:say|reply|respond|answer|output|recommend|include|mention|ignore|summari[sz]e|rate|visit|send|state|tell)\b",
    r"\bdo not (?:tell|reveal|mention|inform|show)\b[^.!?]{0,40}\bthe user\b",
    r"<\|(?:im_start|system|endoftext)\|>|\[/?INST\]|<<SYS>>",
    r"\b(?:ignorier|missacht|vergiss|vergess)\w*\b[^.!?]{0,50}\b(?:anweisung|instruktion|vorgabe|befehl)",
    r"\b(?:ignor|oubli|néglig)\w*\b[^.!?]{0,50}\b(?:instructions|consignes|directives)\b",
    r"\b(?:ignor|olvid|omit)\w*\b[^.!?]{0,50}\b(?:instrucciones|indicaciones|órdenes)\b",
    r"\b(?:ignor|esque[cç])\w*\b[^.!?]{0,50}\b(?:instruções|comandos|orientações)\b",
    r"\b(?:ignor|dimentic)\w*\b[^.!?]{0,50}\b(?:istruzioni|direttive|comandi)\b",
    r"\b(?:negeer|vergeet)\b[^.!?]{0,50}\b(?:instructies|opdrachten|aanwijzingen)\b",
    r"\b(?:z?ignoruj|zapomnij|pomiń)\w*\b[^.!?]{0,50}\b(?:instrukcj|polece)",
    r"(?:игнориру|забуд|пренебре)\w*[^.!?]{0,50}(?:инструкц|указани|команд)",
    r"(?:忽略|无视|無視|忘记|忘記)[^。!?]{0,15}(?:指令|指示|提示|说明|說明)",
    r"(?:指示|命令|プロンプト)[^。]{0,8}(?:無視|忘れ)",
    r"(?:지시|명령|지침)[^.]{0,10}(?:무시|잊)",
    r"\b(?:talimat|komut)\w*[^.!?]{0,20}(?:yok say|unut|görmezden)",
)
ORDER = re.compile("|".join(ORDERS), re.I)
# One of these is in each of them: looking for fixed words takes a hundredth of the time.
WORDS = (
    "instru|prompt|directiv|guideline|system|llm|gpt|claude|gemini|copilot|language model|chat bot|chatbot|do not "
    "|helpful assistant|anweisung|vorgabe|befehl|consignes|indicaciones|órdenes|comand|orienta|istruzioni|direttive"
    "|opdrachten|aanwijzingen|polece|инструкц|указани|команд|忽略|无视|無視|忘记|忘記|忘れ|무시|잊|talimat|komut"
    "|inst]|im_start|endoftext|<<sys"
)
STEMS = WORDS.split("|")
CAPITALS = re.compile(r"\bAI\b")


def find_order(text: str) -> re.Match[str] | None:
    """Where a text addresses a machine that reads it. It is a sign, not a proof, and its lack proves nothing."""
    text = text[:MAX_READ]
    lowered = text.lower()
    if not any(stem in lowered for stem in STEMS) and not CAPITALS.search(text):
        return None
    return ORDER.search(text)


def is_order(text: str) -> bool:
    return find_order(text) is not None
