"""`vllm bench serve`, whose command does not start from the package for CPUs."""

import argparse

from vllm.benchmarks.serve import add_cli_args, main

parser = argparse.ArgumentParser()
add_cli_args(parser)
main(parser.parse_args())
