"""Makes a model that vLLM starts with random weights (--load-format dummy): a configuration and a tokenizer of made-up
words. Nothing is downloaded. Usage: make_model.py FOLDER; needs the package tokenizers."""

import json
import pathlib
import random
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

VOCABULARY = 4096
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 768,
    "intermediate_size": 2048,
    "num_hidden_layers": 10,
    "num_attention_heads": 12,
    "num_key_value_heads": 4,
    "head_dim": 64,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "torch_dtype": "bfloat16",
    "hidden_act": "silu",
    "attention_bias": False,
    "initializer_range": 0.02,
}
TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "bos_token": "<s>",
    "eos_token": "</s>",
    "model_max_length": 8192,
    "clean_up_tokenization_spaces": False,
    "chat_template": "{% for m in messages %}{{ m['content'] }}\n{% endfor %}",
}


def main(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(3000)]
    tokenizer = Tokenizer(models.BPE(unk_token=None))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((" ".join(chance.choices(words, k=40)) for _ in range(4000)), trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    for name, content in {
        "tokenizer_config.json": TOKENIZER_CONFIG,
        "config.json": CONFIG,
        "generation_config.json": {"bos_token_id": 0, "eos_token_id": 1},
    }.items():
        (folder / name).write_text(json.dumps(content))


main(pathlib.Path(sys.argv[1]))
