"""Trains a model family for staged decoding: target, draft and n-gram table, with one tokenizer.

`python -m engine train STEP` runs one step at a time; each reads the folders that the steps before it wrote:

    tokenizer -> corpus -> target -> draft -> ngram -> report

dialogues.py   hand-written exchanges -> conversations, with held-out wordings
documents.py   files and folders -> documents, de-duplicated and split
corpus.py      documents -> a memory-mapped file of token ids and a mask of the tokens to learn
batches.py     corpora -> batches that depend on the step alone
trainer.py     the loop: resumes after any interruption, keeps the best checkpoint
models.py      a GPT-2 to train, from scratch or from a checkpoint; writes one back
distillation.py  the draft's loss against the target, and how many of its tokens the target accepts
katz.py        counted n-grams -> the table of a Katz back-off model
cli.py         the arguments and what each step does with them
"""
