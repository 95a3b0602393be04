"""Know the words of dates, which tell pages apart no more than their numbers do."""

from __future__ import annotations

# Months and days of the week in English, German, French, Spanish, Italian, Portuguese and Dutch, with their usual short
# forms; of others a calendar has shown all after a year.
_WORDS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun
    januar februar märz mai juni juli oktober dezember jänner
    montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so okt dez
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    lundi mardi mercredi jeudi vendredi samedi dimanche lun mer jeu ven sam dim
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    lunes martes miércoles jueves viernes sábado domingo
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    lunedì martedì mercoledì giovedì venerdì sabato domenica
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    segunda terça quarta quinta sexta
    januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
    am pm
"""
DATE_WORDS = frozenset(_WORDS.split())
