"""Trains a model family for staged decoding: target, draft and n-gram table, with one tokenizer.

`python -m engine train STEP` runs one step at a time; each reads the folders that the steps before it wrote:

    tokenizer -> corpus -> target -> draft -> ngram -> pack -> report

cli.py         the arguments of the steps
prepare.py     tokenizer and corpus
train.py       target and draft
ngrams.py      ngram
pack.py        pack
report.py      report

dialogues.py   hand-written exchanges -> conversations, with held-out wordings
documents.py   files and folders -> documents, de-duplicated and split
corpus.py      documents -> a memory-mapped file of token ids and a mask of the tokens to learn
batches.py     corpora -> batches that depend on the step alone
models.py      a GPT-2 to train, from scratch or from a checkpoint, and back to a folder
losses.py      what a batch costs: against text, and against a larger model's distribution
trainer.py     the loop: resumes after any interruption, keeps the best checkpoint
sampling.py    text that a model writes by itself
acceptance.py  how much of a draft the target would accept
katz.py        counted n-grams -> the table of a Katz back-off model
"""
