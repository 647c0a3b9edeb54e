"""What a batch costs: against the text, and against the distribution of a larger model."""

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import GPT2LMHeadModel

from engine.training.batches import Batch


def learnt_logits(model: GPT2LMHeadModel, batch: Batch) -> Tensor:
    """Logits at the places where there is something to learn, (places, vocabulary); the head runs for those alone."""
    hidden = model.transformer(
        input_ids=batch.input_ids, position_ids=batch.positions, use_cache=False
    ).last_hidden_state
    logits: Tensor = model.lm_head(hidden[batch.labels != -100])
    return logits


def learnt_labels(batch: Batch) -> Tensor:
    """The tokens to learn, (places,)."""
    return batch.labels[batch.labels != -100]


def text_loss(model: GPT2LMHeadModel, batch: Batch) -> Tensor:
    """Mean cross-entropy to the text, in nats a token."""
    return F.cross_entropy(learnt_logits(model, batch).float(), learnt_labels(batch))


def distillation_loss(draft: GPT2LMHeadModel, target: GPT2LMHeadModel, batch: Batch, text_share: float) -> Tensor:
    """Mean cross-entropy to the target's distribution, with a share of the text's own (Hinton et al. 2015)."""
    with torch.no_grad():
        probabilities = learnt_logits(target, batch).float().softmax(-1)
    logits = learnt_logits(draft, batch).float()
    to_target = F.cross_entropy(logits, probabilities)
    return (1 - text_share) * to_target + text_share * F.cross_entropy(logits, learnt_labels(batch))
