"""Makes a model with random weights and serves it by llama.cpp's server, with its metrics. Nothing is downloaded. Usage:
serve_llama.py MODEL FOLDER PORT SLOTS; MODEL is the folder of make_model.py, whose tokenizer it takes."""

import json
import pathlib
import signal
import sys

import gguf
import numpy
import xllamacpp

HIDDEN, FEED_FORWARD, LAYERS, HEADS, KEY_HEADS, CONTEXT = 512, 1536, 8, 8, 4, 2048


def make(tokenizer: pathlib.Path, path: pathlib.Path) -> None:
    bpe = json.loads(tokenizer.read_text())["model"]
    tokens = sorted(bpe["vocab"], key=bpe["vocab"].get)
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in bpe["merges"]]
    chance = numpy.random.default_rng(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_merges(merges)
    writer.add_token_types([gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.NORMAL] * (len(tokens) - 2))
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)

    def matrix(name: str, rows: int, columns: int) -> None:
        writer.add_tensor(name, chance.normal(0, 0.02, (rows, columns)).astype(numpy.float16))

    matrix("token_embd.weight", len(tokens), HIDDEN)
    matrix("output.weight", len(tokens), HIDDEN)
    writer.add_tensor("output_norm.weight", numpy.ones(HIDDEN, numpy.float32))
    keys = HIDDEN // HEADS * KEY_HEADS
    for layer in range(LAYERS):
        at = f"blk.{layer}."
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{at}{norm}.weight", numpy.ones(HIDDEN, numpy.float32))
        for name, rows, columns in [
            ("attn_q", HIDDEN, HIDDEN),
            ("attn_k", keys, HIDDEN),
            ("attn_v", keys, HIDDEN),
            ("attn_output", HIDDEN, HIDDEN),
            ("ffn_gate", FEED_FORWARD, HIDDEN),
            ("ffn_up", FEED_FORWARD, HIDDEN),
            ("ffn_down", HIDDEN, FEED_FORWARD),
        ]:
            matrix(f"{at}{name}.weight", rows, columns)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(model: str, folder: str, port: str, slots: str) -> None:
    path = pathlib.Path(folder) / "tiny.gguf"
    make(pathlib.Path(model) / "tokenizer.json", path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.port = int(port)
    params.n_parallel = int(slots)
    params.n_ctx = CONTEXT * int(slots)
    params.cpuparams.n_threads = 1
    params.endpoint_metrics = True
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.pause()


main(*sys.argv[1:])
