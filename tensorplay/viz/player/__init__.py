"""The step-through player: frames in Python, one small script that shows them, and the page around it."""
